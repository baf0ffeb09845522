import type { ReactNode } from 'react'
import type { DetailedHealth, Metrics } from '../../../../../lib/health/schema.ts'
import { formatBytes } from '../../components/bytes.ts'
import { formatNumber } from '../../components/format.ts'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { formatPercent } from './figures.ts'

const SECOND = 1_000

type Props = { report: DetailedHealth; requests: Metrics['requests'] | undefined }

export const System = ({ report, requests }: Props) => {
  const { memory, cpu, platform, nodeVersion } = report.system
  return (
    <Panel title="System" aside={<Scope>this instance</Scope>}>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 p-3.5 sm:grid-cols-4">
        <Fact name="Uptime">{formatDuration(report.uptime * SECOND)}</Fact>
        <Fact name="Version">{report.version}</Fact>
        <Fact name="Node">{nodeVersion}</Fact>
        <Fact name="Platform">{platform}</Fact>
        <Fact name="Memory">
          {formatBytes(memory.used)} of {formatBytes(memory.total)}
          <Bar percent={memory.percentage} />
        </Fact>
        <Fact name="Load (1, 5, 15 min)">{cpu.loadAverage.map((load) => load.toFixed(2)).join('  ')}</Fact>
        <Fact name="Requests">
          {requests
            ? `${formatNumber(requests.total)}, ${formatNumber(requests.perMinute)} in the last minute`
            : '–'}
        </Fact>
        <Fact name="Errors">
          <span className={requests && requests.errorRate > 0 ? 'text-failed' : ''}>
            {requests ? formatPercent(requests.errorRate) : '–'}
          </span>
        </Fact>
      </dl>
    </Panel>
  )
}

/** Marks figures of one instance. */
export const Scope = ({ children }: { children: string }) => (
  <span
    className="text-xs text-muted-foreground"
    title="Each instance counts its own requests. A reload may show another instance"
  >
    {children}
  </span>
)

const Bar = ({ percent }: { percent: number }) => (
  <span aria-hidden className="mt-1 block h-1.5 max-w-40 overflow-hidden rounded-full bg-muted">
    <span className="block h-full bg-pending" style={{ width: `${percent}%` }} />
  </span>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="font-medium whitespace-pre-wrap">{children}</dd>
  </div>
)
