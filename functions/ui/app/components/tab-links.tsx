import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

type Tab = { to: NonNullable<LinkProps['to']>; label: string; params?: Readonly<Record<string, string>> }

export const TabLinks = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // The tabs scroll on small screens: keep the active one in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path or another tab moves the active one.
  useEffect(() => {
    const active = nav.current?.querySelector('[data-status=active]')
    active?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname, tabs.length])
  return (
    <nav ref={nav} aria-label={label} className="shrink-0 overflow-x-auto border-b">
      <ul className="flex w-max min-w-full gap-1 px-2 md:px-4">
        {tabs.map(({ to, label, params }) => (
          <li key={to}>
            <Link
              to={to}
              params={(params ?? {}) as never}
              activeOptions={{ exact: true, includeSearch: false }}
              className="-mb-px flex h-10 items-center border-b-2 border-transparent px-2 whitespace-nowrap text-muted-foreground hover:text-foreground data-[status=active]:border-foreground data-[status=active]:font-medium data-[status=active]:text-foreground"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
