import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TabLinks } from '../../components/tab-links.tsx'
import { View } from '../../components/view.tsx'

const tabs = [
  { to: '/settings/security', label: 'Policy' },
  { to: '/settings/security/audit', label: 'Tool calls' },
] as const

export const Security = (): ReactNode => (
  <View title="Security" isFixed>
    <TabLinks label="Security" tabs={tabs} />
    <Outlet />
  </View>
)
