import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

type Tab = { to: NonNullable<LinkProps['to']>; label: string; params?: Readonly<Record<string, string>> }

type Props = {
  label: string
  tabs: readonly Tab[]
  /** In the head of a view, in place of its title. */
  isInHead?: boolean
}

export const TabLinks = ({ label, tabs, isInHead = false }: Props) => {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // The tabs scroll on small screens: keep the active one in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path or another tab moves the active one.
  useEffect(() => {
    const active = nav.current?.querySelector('[data-status=active]')
    active?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname, tabs.length])
  return (
    <nav
      ref={nav}
      aria-label={label}
      className={`overflow-x-auto ${isInHead ? 'self-end max-md:-mx-4 max-md:w-[calc(100%+2rem)] max-md:border-b md:-ml-2' : 'shrink-0 border-b'}`}
    >
      <ul className={`flex w-max min-w-full gap-1 ${isInHead ? 'max-md:px-2' : 'px-2 md:px-4'}`}>
        {tabs.map(({ to, label, params }) => (
          <li key={to}>
            <Link
              to={to}
              params={(params ?? {}) as never}
              activeOptions={{ exact: true, includeSearch: false }}
              className={`flex items-center ${isInHead ? 'h-11.5' : '-mb-px h-10'} border-b-2 border-transparent px-2 whitespace-nowrap text-muted-foreground hover:text-foreground data-[status=active]:border-foreground data-[status=active]:font-medium data-[status=active]:text-foreground`}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
