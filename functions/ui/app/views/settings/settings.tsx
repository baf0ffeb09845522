import { Outlet, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { View } from '../../components/view.tsx'
import { settingsSections } from '../../shell/nav.ts'

const titles = new Map<string, string>(
  settingsSections.flatMap(({ sections }) => sections.map(({ to, label }) => [to, label])),
)

/** The sections that are forms. */
export const Settings = (): ReactNode => {
  const { pathname } = useLocation()
  return (
    <View title={titles.get(pathname) ?? 'Settings'}>
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Outlet />
      </div>
    </View>
  )
}
