import { termsOf } from '../../../../../lib/memory/terms.ts'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { useMemorySearch } from '../../data/memory.ts'
import { Chunk } from './chunk.tsx'

const WHOLE = 100

/** What a question finds, the best first. */
export const Found = ({ q }: { q: string }) => {
  const { data, error, refetch, isPending } = useMemorySearch(q)
  if (isPending) return <SkeletonRows />
  if (!data) return <Problem error={error} onRetry={() => void refetch()} />
  const terms = termsOf(data.query)
  if (data.count === 0)
    return (
      <Empty title="Nothing in memory fits">
        Try other words.{' '}
        {data.method === 'lexical' && 'It is searched by words alone: meaning needs a provider.'}
      </Empty>
    )
  return (
    <ol aria-label="Found" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4 md:px-6">
      {data.chunks.map((chunk) => (
        <Chunk
          key={chunk.id}
          chunk={chunk}
          terms={terms}
          aside={
            <span className="text-muted-foreground" title="How well it fits, of 100">
              {Math.round(chunk.score * WHOLE)}
            </span>
          }
        />
      ))}
    </ol>
  )
}
