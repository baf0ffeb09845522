import { RefreshCw } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { useMe } from '../../data/me.ts'
import { type ExcludedFile, useClear, useMemoryStats, useSync } from '../../data/memory.ts'
import { reasons } from './excluded.tsx'

export const Care = () => {
  const sync = useSync()
  const clear = useClear()
  const { data } = useMemoryStats()
  const isAdmin = useMe()?.role === 'admin'
  const run = () =>
    sync.mutate(undefined, {
      onSuccess: ({ added, updated, removed, skipped = [], embedding }) => {
        toast.done('In step with its files', `${added} added, ${updated} updated, ${removed} removed`)
        if (skipped.length > 0) toast.failed(`${skipped.length} files are left out`, listed(skipped))
        if (embedding)
          toast.failed(`${embedding.missing} chunks are found by words alone for now`, embedding.reason)
      },
      onError: (error) => toast.failed('Not in step with its files', errorMessage(error)),
    })
  return (
    <>
      {isAdmin && data !== undefined && data.files > 0 && (
        <Confirm
          verb="Forget all"
          title="Forget all of memory?"
          size="normal"
          kind="ghost"
          onConfirm={() => clear.mutateAsync()}
        >
          {data.files} files with {data.chunks} chunks are forgotten. The files themselves stay; each comes
          back when it changes.
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
