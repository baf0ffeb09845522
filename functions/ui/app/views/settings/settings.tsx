import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TabLinks } from '../../components/tab-links.tsx'
import { View } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { useAuthMode } from '../../data/session.ts'
import { isOffered, tabs } from './tabs.ts'

export const Settings = (): ReactNode => {
  const role = useMe()?.role
  const mode = useAuthMode()
  return (
    <View title="Settings">
      <TabLinks label="Settings" tabs={tabs.filter((tab) => isOffered(tab, role, mode))} />
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Outlet />
      </div>
    </View>
  )
}
