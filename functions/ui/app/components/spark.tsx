const HEIGHT = 24
const WIDTH = 4
const GAP = 1

type Props = { counts: readonly number[]; label: string; className?: string }

export const Spark = ({ counts, label, className = 'h-6 max-w-40' }: Props) => {
  const most = Math.max(1, ...counts)
  const bars = counts.map((count, at) => ({ at, count, height: Math.max(1, (count / most) * HEIGHT) }))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${counts.length * (WIDTH + GAP)} ${HEIGHT}`}
      className={`shrink-0 ${className}`}
    >
      {bars.map(({ at, count, height }) => (
        <rect
          key={at}
          x={at * (WIDTH + GAP)}
          y={HEIGHT - height}
          width={WIDTH}
          height={height}
          className={count > 0 ? 'fill-failed' : 'fill-border'}
        />
      ))}
    </svg>
  )
}
