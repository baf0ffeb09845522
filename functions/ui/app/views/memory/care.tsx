import { RefreshCw } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { formatNumber } from '../../components/format.ts'
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
        if (skipped.length > 0) toast.failed(`${counted(skipped.length, 'file')} excluded`, listed(skipped))
        if (embedding)
          toast.failed(
            `${counted(embedding.missing, 'chunk')} can only be found by keyword for now`,
            embedding.reason,
          )
      },
      onError: (error) => toast.failed('Not synced', errorMessage(error)),
    })
  return (
    <>
      {isAdmin && data !== undefined && data.files > 0 && (
        <Confirm
          verb="Clear"
          title="Clear memory"
          size="normal"
          kind="ghost"
          onConfirm={() => clear.mutateAsync()}
        >
          Removes {counted(data.files, 'file')} with {counted(data.chunks, 'chunk')} from memory. The files
          themselves stay, and are added again when they change.
        </Confirm>
      )}
      <Button needsService disabled={sync.isPending} onClick={run}>
        <RefreshCw size={14} className={sync.isPending ? 'animate-spin' : ''} /> Sync
      </Button>
    </>
  )
}

const counted = (count: number, what: string) => `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`

const SHOWN = 5

const listed = (skipped: readonly ExcludedFile[]) =>
  skipped
    .slice(0, SHOWN)
    .map(({ path, reason }) => `${path} (${reasons[reason]})`)
    .join(', ')
