import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { switchLinkClass } from '../../components/button.tsx'
import { View } from '../../components/view.tsx'
import { zoneNow } from '../../data/locale.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'
import { Agents } from './agents.tsx'
import { Bars } from './bars.tsx'
import { Bulk } from './bulk.tsx'
import { Causes } from './causes.tsx'
import { Costs } from './costs.tsx'
import { Depth } from './depth.tsx'
import { FirstSteps } from './first-steps.tsx'
import { NothingRuns } from './nothing-runs.tsx'
import { Now } from './now.tsx'
import { Throughput } from './throughput.tsx'
import { Times } from './times.tsx'
import { Totals } from './totals.tsx'
import { windowNames } from './windows.ts'

const columns = 'grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]'
const column = 'flex min-w-0 flex-col gap-4'

export const Overview = (): ReactNode => {
  const { window = '24h' } = useSearch({ from: '/tasks/overview' })
  return (
    <View title="Overview" tabs={<TaskTabs />} actions={<Windows />}>
      <div className="mx-auto flex max-w-[90rem] flex-col gap-4 p-4 md:px-6">
        <NothingRuns />
        <FirstSteps />
        <Totals window={window} />
        <div className={columns}>
          <div className={column}>
            <Now />
            <Bars window={window} />
            <Times window={window} />
            <Throughput />
            <Costs />
          </div>
          <div className={column}>
            <Depth />
            <Causes window={window} />
            <Bulk />
            <Agents />
          </div>
        </div>
      </div>
    </View>
  )
}

const Windows = () => (
  <nav aria-label="Time" title={`Times in ${zoneNow()}`} className="flex gap-1">
    {windowNames.map((name) => (
      <Link
        key={name}
        to="/tasks/overview"
        search={{ window: name === '24h' ? undefined : name }}
        activeOptions={{ explicitUndefined: true }}
        className={switchLinkClass}
      >
        {name}
      </Link>
    ))}
  </nav>
)
