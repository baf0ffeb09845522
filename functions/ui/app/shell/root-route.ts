import { createRootRoute } from '@tanstack/react-router'
import { Lost } from './lost.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: Lost })
