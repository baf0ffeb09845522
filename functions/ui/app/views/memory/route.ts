import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

const kinds = ['experiences', 'sessions', 'excluded'] as const
export type MemoryKind = (typeof kinds)[number]
const isMemoryKind = (value: unknown): value is MemoryKind => kinds.some((each) => each === value)

export type MemorySearch = {
  q?: string | undefined
  show?: MemoryKind | undefined
  path?: string | undefined
  item?: string | undefined
}

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memory',
  validateSearch: ({ q, show, path, item }: Record<string, unknown>): MemorySearch => ({
    ...(q ? { q: String(q) } : {}),
    ...(isMemoryKind(show) ? { show } : {}),
    ...(path ? { path: String(path) } : {}),
    ...(item ? { item: String(item) } : {}),
  }),
  component: lazyComponent(() => import('./memory.tsx'), 'Memory'),
})
