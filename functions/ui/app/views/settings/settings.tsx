import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { View } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { useAuthMode } from '../../data/session.ts'
import { isOffered, tabs } from './tabs.ts'

/** What one sets: of oneself, and, as an admin, of the installation. */
export const Settings = (): ReactNode => {
  const role = useMe()?.role
  const mode = useAuthMode()
  return (
    <View title="Settings">
      <nav aria-label="Settings" className="overflow-x-auto border-b px-2 md:px-4">
        <ul className="flex gap-1">
          {tabs
            .filter((tab) => isOffered(tab, role, mode))
            .map(({ to, label }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: true, includeSearch: false }}
                  className="-mb-px flex h-10 items-center border-b-2 border-transparent px-2 whitespace-nowrap text-muted-foreground hover:text-foreground data-[status=active]:border-foreground data-[status=active]:font-medium data-[status=active]:text-foreground"
                >
                  {label}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Outlet />
      </div>
    </View>
  )
}
