/** Has the size of the content, so that nothing moves when it loads. */
export const Skeleton = ({ className = 'h-4 w-full' }: { className?: string }) => (
  <div aria-hidden className={`animate-pulse rounded bg-muted ${className}`} />
)

export const SkeletonRows = ({ count = 6 }: { count?: number }) => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-3.5">
    {Array.from({ length: count }, (_, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
      <Skeleton key={n} className={n % 3 === 1 ? 'h-4 w-3/4' : 'h-4 w-full'} />
    ))}
  </div>
)
