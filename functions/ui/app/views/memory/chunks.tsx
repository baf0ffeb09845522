import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { buttonClass } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Windowed } from '../../components/windowed.tsx'
import { useMemoryChunks } from '../../data/memory.ts'
import { Chunk } from './chunk.tsx'

const CHUNK_PX = 300

export const Chunks = ({ path }: { path: string }) => {
  const { data, error, refetch } = useMemoryChunks(path)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4 md:px-6">
      <div className="mb-3 flex items-center gap-2">
        <Link to="/memory" className={`-ml-2 ${buttonClass({ kind: 'ghost', size: 'small' })}`}>
          <ChevronLeft size={14} /> All files
        </Link>
        <h2 className="min-w-0 truncate font-mono">{path}</h2>
      </div>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data?.length === 0 && (
        <Empty title="No chunks of this file in memory">They are added again when the file changes.</Empty>
      )}
      <ol aria-label="Chunks" className="flex flex-col gap-3">
        <Windowed
          isList
          items={data ?? []}
          getKey={({ id }) => id}
          draw={(chunk) => <Chunk chunk={chunk} />}
          itemPx={CHUNK_PX}
          className="flex flex-col gap-3"
        />
      </ol>
    </div>
  )
}
