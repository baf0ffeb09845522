import { Link } from '@tanstack/react-router'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { useMemorySearch } from '../../data/memory.ts'
import { Chunk as ChunkCard } from './chunk.tsx'
import { foundIn } from './hits.ts'

const WHOLE = 100

type Chunk = NonNullable<ReturnType<typeof useMemorySearch>['data']>['chunks'][number]

const MOST_WORDS = 4

/** Why a chunk was found, and how well it fits. */
const Why = ({ heading = '', trail = [], path, text, terms, foundBy, score }: Chunk) => {
  const words = foundIn([heading, text, ...trail, path].join('\n'), terms)
  const shown = words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), '…'] : words
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted-foreground">
      <span className="max-w-64 truncate max-sm:hidden" title={words.join(', ')}>
        {shown.join(', ')}
      </span>
      {foundBy.includes('meaning') && <Tag>meaning</Tag>}
      {foundBy.includes('expansion') && <Tag>other words</Tag>}
      <span title="How well it fits, of 100">{Math.round(score * WHOLE)}</span>
    </span>
  )
}

/** What a question finds, the best first. */
export const Found = ({ q }: { q: string }) => {
  const { data, error, refetch, isPending } = useMemorySearch(q)
  if (isPending) return <SkeletonRows />
  if (!data) return <Problem error={error} onRetry={() => void refetch()} />
  if (data.count === 0)
    return (
      <Empty title="Nothing in memory fits">
        Try other words.{' '}
        {data.method === 'lexical' && (
          <>
            Memory is searched by words; with <code>EMBEDDING_MODEL</code> it is by meaning as well (
            <Link to="/docs/$group/$page" params={{ group: 'guide', page: 'memory' }} className="underline">
              how
            </Link>
            ).
          </>
        )}
      </Empty>
    )
  return (
    <ol aria-label="Found" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4 md:px-6">
      {data.chunks.map((chunk) => (
        <ChunkCard key={chunk.id} chunk={chunk} terms={chunk.terms} aside={<Why {...chunk} />} />
      ))}
    </ol>
  )
}
