import { createRootRoute, redirect } from '@tanstack/react-router'
import { Lost } from './lost.tsx'
import { newPath } from './old-addresses.ts'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: Lost,
  /** Old addresses are kept out of the tree, so that no link to one compiles. */
  beforeLoad: ({ location: { pathname, search, searchStr, hash } }) => {
    const path = newPath(pathname, search)
    if (path !== undefined)
      throw redirect({ href: `${path}${searchStr}${hash && `#${hash}`}`, replace: true })
  },
})
