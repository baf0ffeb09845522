import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'
import { isSpan, type SpanName } from './spans.ts'

export const failuresRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/failures',
  /** 7 days is the default, without a parameter. */
  validateSearch: ({ since }: Record<string, unknown>): { since?: SpanName | undefined } =>
    isSpan(since) && since !== '7d' ? { since } : {},
  component: lazyComponent(() => import('./failures.tsx'), 'Failures'),
})
