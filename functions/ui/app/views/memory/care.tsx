import { RefreshCw } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { useMe } from '../../data/me.ts'
import { type ExcludedFile, useClearMemory, useMemoryStats, useSyncMemory } from '../../data/memory.ts'
import { reasons } from './excluded.tsx'

export const MemoryActions = () => {
  const sync = useSyncMemory()
  const clear = useClearMemory()
  const { data } = useMemoryStats()
  const isAdmin = useMe()?.role === 'admin'
  const run = () =>
    sync.mutate(undefined, {
      onSuccess: ({ added, updated, removed, skipped = [], embedding }) => {
        toast.done('Memory synced', `${added} added, ${updated} updated, ${removed} removed`)
        if (skipped.length > 0) toast.failed(`${skipped.length} files excluded`, listed(skipped))
        if (embedding)
          toast.failed(`${embedding.missing} chunks are searchable by words only for now`, embedding.reason)
      },
      onError: (error) => toast.failed('Not synced', errorMessage(error)),
    })
  return (
    <>
      {isAdmin && data !== undefined && data.files > 0 && (
        <Confirm
          verb="Clear"
          title="Clear memory?"
          size="normal"
          kind="ghost"
          onConfirm={() => clear.mutateAsync()}
        >
          {data.files} files with {data.chunks} chunks are removed. The files stay; each is added again when
          it changes.
        </Confirm>
      )}
      <Button needsService disabled={sync.isPending} onClick={run}>
        <RefreshCw size={14} className={sync.isPending ? 'animate-spin' : ''} /> Sync
      </Button>
    </>
  )
}

const SHOWN = 5

const listed = (skipped: readonly ExcludedFile[]) =>
  skipped
    .slice(0, SHOWN)
    .map(({ path, reason }) => `${path} (${reasons[reason]})`)
    .join(', ')
