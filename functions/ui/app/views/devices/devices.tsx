import type { ReactNode } from 'react'
import { View } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { EnterCode } from './enter-code.tsx'
import { Identity } from './identity.tsx'
import { Paired } from './paired.tsx'
import { Pending } from './pending.tsx'
import { Phone } from './phone.tsx'
import { ShowCode } from './show-code.tsx'

export const Devices = (): ReactNode => {
  const isAdmin = useMe()?.role === 'admin'
  return (
    <View title="Devices">
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Phone />
        <EnterCode />
        <ShowCode />
        {isAdmin && <Pending />}
        <Paired isAdmin={isAdmin} />
        <Identity />
      </div>
    </View>
  )
}
