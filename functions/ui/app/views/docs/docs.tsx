import { Link, Outlet, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { useNarrow } from '../../components/narrow.ts'
import { isSignedOut } from '../../data/query-client.ts'
import { ContentsNav } from './contents-nav.tsx'

/** The header for users without a session. */
const SignedOutBar = () => (
  <header className="flex h-12 shrink-0 items-center justify-between border-b bg-card px-4">
    <Link to="/docs" className="font-semibold">
      Agent Tasks
    </Link>
    <Link to="/login" search={{ from: location.pathname }} className={buttonClass()}>
      Sign in
    </Link>
  </header>
)

export const Docs = (): ReactNode => {
  const isNarrow = useNarrow()
  const isStranger = isSignedOut.use()
  const page = useRef<HTMLDivElement>(null)
  const { pathname, hash } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top.
  useEffect(() => {
    if (!hash) page.current?.scrollTo({ top: 0 })
  }, [pathname])
  const content = (
    <div ref={page} className="min-w-0 flex-1 overflow-y-auto" data-scroller>
      <Outlet />
    </div>
  )
  return (
    <div className="flex h-full min-h-0 flex-col">
      {isStranger && <SignedOutBar />}
      <div className="flex min-h-0 flex-1">
        {!isNarrow && (
          <div className="w-64 shrink-0 overflow-y-auto border-r px-2">
            <ContentsNav label="Docs" />
          </div>
        )}
        {isStranger ? <main className="flex min-w-0 flex-1">{content}</main> : content}
      </div>
    </div>
  )
}
