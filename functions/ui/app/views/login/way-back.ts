import { useRouter, useSearch } from '@tanstack/react-router'
import { safePath } from './safe-path.ts'

type Search = { from?: string; error?: string; invite?: string }

/** What the address of the sign-in says. */
export const useAsked = (): Search => useSearch({ strict: false })

/** Goes to where the person wanted to be. */
export const useWayBack = () => {
  const { history } = useRouter()
  const { from } = useAsked()
  const path = safePath(from, location.origin)
  return { path, goBack: () => history.replace(path) }
}
