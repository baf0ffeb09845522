import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useMe } from '../data/me.ts'
import { useAuthMode } from '../data/session.ts'
import { isOffered, settingsSections } from './nav.ts'

export const SettingsFrame = (): ReactNode => (
  <div className="flex h-full min-h-0 max-lg:flex-col">
    <Sections />
    <div className="min-h-0 min-w-0 flex-1">
      <Outlet />
    </div>
  </div>
)

const Sections = () => {
  const role = useMe()?.role
  const mode = useAuthMode()
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // Below 1024 px the sections are a row that scrolls: keep the active one in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path or another role moves the active one.
  useEffect(() => {
    nav.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname, role, mode])
  return (
    <nav
      ref={nav}
      aria-label="Settings"
      className="flex shrink-0 overflow-x-auto border-b px-2 md:px-4 lg:w-44 lg:flex-col lg:gap-3 lg:overflow-y-auto lg:border-r lg:border-b-0 lg:p-3"
    >
      {settingsSections.map(({ group, sections }) => {
        const offered = sections.filter((section) => isOffered(section, role, mode))
        return (
          <div key={group} className="flex shrink-0 lg:flex-col lg:gap-px">
            <p className="px-2 pb-1 text-xs text-muted-foreground max-lg:hidden">{group}</p>
            <ul className="flex lg:flex-col lg:gap-px">
              {offered.map(({ to, label, hasPages = false }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: !hasPages, includeSearch: false }}
                    className="flex items-center px-2 whitespace-nowrap text-muted-foreground hover:text-foreground data-[status=active]:font-medium data-[status=active]:text-foreground max-lg:h-10 max-lg:border-b-2 max-lg:border-transparent max-lg:data-[status=active]:border-foreground lg:h-7.5 lg:rounded-md lg:hover:bg-accent lg:data-[status=active]:bg-accent"
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}
