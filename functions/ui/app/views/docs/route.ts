import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'
import { isLanguage, type Language } from './languages.ts'

const frame = createRoute({
  getParentRoute: () => rootRoute,
  path: '/docs',
  component: lazyComponent(() => import('./docs.tsx'), 'Docs'),
})

const contents = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyComponent(() => import('./contents.tsx'), 'ContentsView'),
})
const operation = createRoute({
  getParentRoute: () => frame,
  path: '/api/$operation',
  validateSearch: ({ code }: Record<string, unknown>): { code?: Language } =>
    isLanguage(code) ? { code } : {},
  component: lazyComponent(() => import('./operation.tsx'), 'OperationView'),
})
const guide = createRoute({
  getParentRoute: () => frame,
  path: '/$group/$page',
  component: lazyComponent(() => import('./guide.tsx'), 'GuideView'),
})

export const docsRoute = frame.addChildren([contents, operation, guide])
