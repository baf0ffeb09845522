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
      <div className="mx-auto grid w-full max-w-5xl items-start gap-4 p-4 md:p-6 lg:grid-cols-2">
        <div className="contents min-w-0 flex-col gap-4 lg:flex">
          <Phone />
          <EnterCode />
          <div className="flex min-w-0 flex-col gap-4 max-lg:order-1">
            {isAdmin && <Pending />}
            <Paired isAdmin={isAdmin} />
          </div>
        </div>
        <div className="contents min-w-0 flex-col gap-4 lg:flex">
          <ShowCode />
          <div className="min-w-0 max-lg:order-1">
            <Identity />
          </div>
        </div>
      </div>
    </View>
  )
}
