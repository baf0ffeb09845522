import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { Fragment, useEffect } from 'react'
import { undoCancel } from '../components/cancel-soon.ts'
import { toast } from '../components/toast.tsx'
import { useLocale } from '../data/locale.ts'
import { isSignedOut } from '../data/query-client.ts'
import { Banner, useStaleSince } from './banner.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { Holds } from './holds.tsx'
import { useKeys } from './keys.ts'
import { keyed } from './nav.ts'
import { closeOverlay, openCreate, overlay } from './overlay.ts'
import { Overlays } from './overlays.tsx'
import { Sidebar } from './sidebar.tsx'
import { toSearch } from './to-search.ts'
import { Topbar } from './topbar.tsx'
import { Unsent } from './unsent.tsx'

/** Views without the frame. */
const BARE = ['/login', '/signup', '/reset', '/sign-in/phone']

/** Readable without a session, then without the frame. */
const isOpen = (path: string) => path === '/docs' || path.startsWith('/docs/')

export const Shell = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useSignIn(path)
  useFreshPath(path)
  const signedOut = isSignedOut.use()
  return BARE.includes(path) || (signedOut && isOpen(path)) ? <Outlet /> : <Framed />
}

const Framed = () => {
  useShellKeys()
  const isStale = useStaleSince() !== undefined
  const locale = useLocale()
  return (
    <div className="flex h-full">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-card focus:p-2">
        Skip to content
      </a>
      <Sidebar />
      <div className="flex min-w-0 flex-1 flex-col">
        <Topbar />
        <Banner />
        <Unsent />
        <Holds />
        <main
          id="main"
          tabIndex={-1}
          className={`min-h-0 flex-1 outline-none ${isStale ? 'opacity-90 grayscale' : ''}`}
        >
          <Fragment key={locale}>
            <Outlet />
          </Fragment>
        </main>
        <BottomBar />
      </div>
      <Overlays />
    </div>
  )
}

const useSignIn = (path: string) => {
  const signedOut = isSignedOut.use()
  const navigate = useNavigate()
  useEffect(() => {
    if (!signedOut || BARE.includes(path) || isOpen(path)) return
    isSignedOut.set(false)
    void navigate({ to: '/login', search: { from: `${path}${location.search}` } })
  }, [signedOut, path, navigate])
}

/** Navigation closes overlays. */
const useFreshPath = (path: string) => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it answers to.
  useEffect(closeOverlay, [path])
}

const useShellKeys = () => {
  const navigate = useNavigate()
  useKeys({
    palette: () => {
      // Do not replace a form that is being filled in.
      if (overlay.get() !== 'create' && overlay.get() !== 'again') overlay.set('palette')
    },
    create: openCreate,
    undo: () => void (toast.undo() || undoCancel()),
    help: () => overlay.set('keys'),
    search: () => toSearch(() => void navigate({ to: '/tasks' })),
    ...Object.fromEntries(keyed.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
  })
}
