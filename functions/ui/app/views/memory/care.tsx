import { RefreshCw } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { saysOf } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { useMe } from '../../data/me.ts'
import { useClear, useMemoryStats, useSync } from '../../data/memory.ts'

/** What is done to all of memory. */
export const Care = () => {
  const sync = useSync()
  const clear = useClear()
  const { data } = useMemoryStats()
  const isAdmin = useMe()?.role === 'admin'
  const run = () =>
    sync.mutate(undefined, {
      onSuccess: ({ added, updated, removed, skipped = [] }) => {
        toast.done('In step with its files', `${added} added, ${updated} updated, ${removed} removed`)
        if (skipped.length > 0) toast.failed(`${skipped.length} files are left out`, listed(skipped))
      },
      onError: (error) => toast.failed('Not in step with its files', saysOf(error)),
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
      <Button disabled={sync.isPending} onClick={run}>
        <RefreshCw size={14} className={sync.isPending ? 'animate-spin' : ''} /> Sync
      </Button>
    </>
  )
}

const reasons = {
  too_large: 'too large',
  not_utf8: 'no text in UTF-8',
  bad_name: 'a name that memory cannot keep',
  path_too_long: 'too long a path',
  too_many: 'one file too many',
} as const
const SHOWN = 5

const listed = (skipped: readonly { path: string; reason: keyof typeof reasons }[]) =>
  skipped
    .slice(0, SHOWN)
    .map(({ path, reason }) => `${path} (${reasons[reason]})`)
    .join(', ')
