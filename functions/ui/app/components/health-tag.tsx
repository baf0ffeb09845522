import type { HealthStatus } from '../../../../lib/health/schema.ts'
import { Tag, type Tone } from './tag.tsx'

const looks: Readonly<Record<HealthStatus, { says: string; tone: Tone }>> = {
  healthy: { says: 'Healthy', tone: 'good' },
  degraded: { says: 'Degraded', tone: 'warn' },
  unhealthy: { says: 'Unhealthy', tone: 'bad' },
}

/** The state of health as a coloured word. */
export const HealthTag = ({ status }: { status: HealthStatus }) => (
  <Tag tone={looks[status].tone}>{looks[status].says}</Tag>
)
