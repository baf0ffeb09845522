import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { View } from '../../components/view.tsx'

/** The sections that are forms. */
export const Settings = (): ReactNode => (
  <View title="Settings">
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
      <Outlet />
    </div>
  </View>
)
