import type { ReactNode } from 'react'
import { View } from '../../components/view.tsx'
import { Active } from './active.tsx'
import { Agents } from './agents.tsx'
import { Attention } from './attention.tsx'
import { Depth } from './depth.tsx'
import { Plots } from './plots.tsx'
import { Totals } from './totals.tsx'

/** What the agents do, what is stuck, and what needs a decision: at a glance. */
export const Overview = (): ReactNode => (
  <View title="Overview">
    <div className="mx-auto flex max-w-[90rem] flex-col gap-4 p-4 md:px-6">
      <Totals />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Active />
          <Plots />
        </div>
        <div className="flex min-w-0 flex-col gap-4 max-lg:order-first">
          <Attention />
          <Depth />
          <Agents />
        </div>
      </div>
    </div>
  </View>
)
