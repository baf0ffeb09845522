import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TabLinks } from '../../components/tab-links.tsx'
import { View } from '../../components/view.tsx'

const tabs = [
  { to: '/security', label: 'Policy' },
  { to: '/security/audit', label: 'Tool calls' },
] as const

export const Security = (): ReactNode => (
  <View title="Security" isFixed>
    <TabLinks label="Security" tabs={tabs} />
    <Outlet />
  </View>
)
