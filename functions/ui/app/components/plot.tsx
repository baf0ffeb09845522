import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Boundary, useRecovery } from './boundary.tsx'
import { lazyComponent } from './lazy.tsx'
import type { Series } from './plot-canvas.tsx'
import { Skeleton } from './skeleton.tsx'

type Props = {
  label: string
  /** `2026-01-31`, one per value. */
  days: readonly string[]
  /** Later series cover earlier ones. */
  series: readonly Series[]
  format?: (value: number) => string
}

const Canvas = lazyComponent(() => import('./plot-canvas.tsx'), 'PlotCanvas')

/** An image for sighted users, a table for screen readers. */
export const Plot = ({ label, days, series, format = String }: Props) => (
  <div className="px-2 pt-1 pb-2">
    <div role="img" aria-label={label} className="h-40">
      <Boundary resetKey={label} failed={Undrawn} loading={<Skeleton className="m-2 h-36" />}>
        <InView>
          <Canvas days={days} series={series} format={format} />
        </InView>
      </Boundary>
    </div>
    <Legend series={series} />
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th>Day</th>
          {series.map((one) => (
            <th key={one.label}>{one.label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day, at) => (
          <tr key={day}>
            <th>{day}</th>
            {series.map((one) => (
              <td key={one.label}>{format(one.values[at] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Renders children when they are about to scroll into view, so that their code loads on demand. */
const InView = ({ children }: { children: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!box.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '100px' },
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={box} className="h-full">
      {isSeen && children}
    </div>
  )
}

/** The table has the same data until the code loads. */
const Undrawn = (props: ErrorComponentProps) => {
  useRecovery(props)
  return <Skeleton className="m-2 h-36" />
}

const Legend = ({ series }: Pick<Props, 'series'>) => (
  <ul className="flex flex-wrap gap-x-4 px-2 text-xs text-muted-foreground" aria-hidden>
    {series.map(({ label, colour, form }) => (
      <li key={label} className="flex items-center gap-1.5">
        <span
          className={form === 'bars' ? 'size-2 rounded-xs' : 'h-0.5 w-3'}
          style={{ background: `var(${colour})` }}
        />
        {label}
      </li>
    ))}
  </ul>
)
