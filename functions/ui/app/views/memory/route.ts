import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

/** A question, the kind of thing that is shown, and the file or the experience that is open. */
export type MemorySearch = {
  q?: string | undefined
  show?: 'experiences' | undefined
  path?: string | undefined
  item?: string | undefined
}

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memory',
  validateSearch: ({ q, show, path, item }: Record<string, unknown>): MemorySearch => ({
    ...(q ? { q: String(q) } : {}),
    ...(show === 'experiences' ? { show } : {}),
    ...(path ? { path: String(path) } : {}),
    ...(item ? { item: String(item) } : {}),
  }),
  component: lazyComponent(() => import('./memory.tsx'), 'Memory'),
})
