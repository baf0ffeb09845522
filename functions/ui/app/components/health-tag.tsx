import type { HealthStatus } from '../../../../lib/health/schema.ts'
import { Tag, type Tone } from './tag.tsx'

const looks: Readonly<Record<HealthStatus, { label: string; tone: Tone }>> = {
  healthy: { label: 'Healthy', tone: 'good' },
  degraded: { label: 'Degraded', tone: 'warn' },
  unhealthy: { label: 'Unhealthy', tone: 'bad' },
}

export const HealthTag = ({ status }: { status: HealthStatus }) => (
  <Tag tone={looks[status].tone}>{looks[status].label}</Tag>
)
