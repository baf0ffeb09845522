import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isDark } from '../shell/theme.ts'
import { formatDate } from './format.ts'

export type Series = {
  label: string
  values: readonly number[]
  /** Stacked values, if bars stand on those of a later series. */
  drawnTo?: readonly number[]
  /** A custom property of the theme: `--completed`. */
  colour: string
  form: 'bars' | 'line'
}

type Props = { days: readonly string[]; series: readonly Series[]; format: (value: number) => string }

const DAY_S = 86_400
const bars = uPlot.paths.bars?.({ size: [0.62, 22], radius: 0.15 })
const line = uPlot.paths.linear?.()

export const PlotCanvas = (props: Props) => {
  const box = useRef<HTMLDivElement>(null)
  const dark = isDark.use()
  // Each answer is a new object, so series are compared by value.
  const drawn = JSON.stringify([props.days, props.series])
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what they say, and by the theme whose colours are read.
  useEffect(() => {
    const element = box.current
    if (!element) return
    const size = () => ({ width: element.clientWidth, height: element.clientHeight })
    const plot = new uPlot(plotOptions(props, size()), plotData(props), element)
    const observer = new ResizeObserver(() => plot.setSize(size()))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [drawn, dark])
  return <div ref={box} className="h-full w-full overflow-hidden" />
}

const plotData = ({ days, series }: Props): uPlot.AlignedData => [
  days.map((day) => Date.parse(day) / 1_000),
  ...series.map(({ values, drawnTo = values }) => [...drawnTo]),
]

const plotOptions = (
  { days, series, format }: Props,
  size: { width: number; height: number },
): uPlot.Options => {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name)
  const first = Date.parse(days[0] ?? '') / 1_000
  const last = Date.parse(days.at(-1) ?? '') / 1_000
  const axis = { stroke: colour('--muted-foreground'), font: '11px system-ui', ticks: { show: false } }
  return {
    ...size,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 4, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: [first - DAY_S * 0.6, last + DAY_S * 0.6] },
      y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, 1e-9)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        values: (_plot, at) => at.map((seconds) => formatDate(seconds * 1_000)),
        size: 22,
      },
      {
        ...axis,
        grid: { stroke: colour('--border'), width: 1 },
        space: 36,
        size: 42,
        values: (_plot, values) => values.map(format),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour: name, form }) => ({
        label,
        points: { show: false },
        stroke: colour(name),
        ...(form === 'bars' ? { fill: colour(name), width: 0, paths: bars } : { width: 1.5, paths: line }),
      })),
    ] as uPlot.Series[],
  }
}
