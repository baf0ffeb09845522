import type { HealthStatus } from '../../../../lib/health/schema.ts'

export type Limits = { readonly degraded: number; readonly unhealthy: number }
type Part = { id: string; value: number; className: string }

const HALF = 50
const WHOLE = 100

/** Healthy numbers fill the first half of the scale, degraded ones the second. */
export const meterPercent = (count: number, { degraded, unhealthy }: Limits): number => {
  if (count <= degraded) return (count / degraded) * HALF
  return Math.min(WHOLE, HALF + ((count - degraded) / (unhealthy - degraded)) * HALF)
}

export const meterHealth = (count: number, { degraded, unhealthy }: Limits): HealthStatus => {
  if (count >= unhealthy) return 'unhealthy'
  return count >= degraded ? 'degraded' : 'healthy'
}

type Props = { label: string; parts: readonly Part[]; limits: Limits }

export const Meter = ({ label, parts, limits }: Props) => {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  let before = 0
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own has one part and one colour. */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limits.unhealthy}
        aria-valuenow={Math.min(total, limits.unhealthy)}
        aria-valuetext={`${total}, ${meterHealth(total, limits)}`}
        className="relative flex h-2 overflow-hidden rounded-full bg-muted"
      >
        {parts.map(({ id, value, className }) => {
          const from = meterPercent(before, limits)
          before += value
          return (
            <span
              key={id}
              className={className}
              style={{ width: `${meterPercent(before, limits) - from}%` }}
            />
          )
        })}
        <span className="absolute inset-y-0 left-1/2 w-0.5 -translate-x-1/2 bg-card" />
      </div>
      <div aria-hidden className="mt-1 grid grid-cols-3 text-xs text-muted-foreground max-md:hidden">
        <span>0</span>
        <span className="text-center">{limits.degraded} degraded</span>
        <span className="text-right">{limits.unhealthy} unhealthy</span>
      </div>
    </div>
  )
}
