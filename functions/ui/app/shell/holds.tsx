import { useRouterState } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { formatTimeLeft } from '../components/countdown.ts'
import { formatDateTime, formatNumber } from '../components/format.ts'
import { useNow } from '../components/now.ts'
import { errorMessage } from '../components/problem.tsx'
import { providerName } from '../components/provider-name.ts'
import { toast } from '../components/toast.tsx'
import { type Hold, useHolds, useRemoveHold } from '../data/holds.ts'
import { useMe } from '../data/me.ts'

/** The views of work, where people ask why nothing starts. */
const isOfWork = (path: string) => /^\/(?:$|agents$|tasks(?:\/|$))/.test(path)

export const Holds = () => {
  const isShown = useRouterState({ select: ({ location }) => isOfWork(location.pathname) })
  const { data } = useHolds(isShown)
  if (!isShown || !data?.length) return null
  return data.map((hold) => <Strip key={hold.id} hold={hold} />)
}

const Strip = ({ hold: { id, provider, reason, until, waiting } }: { hold: Hold }) => {
  const name = providerName(provider)
  const { mutate, isPending } = useRemoveHold()
  const isAdmin = useMe()?.role === 'admin'
  const start = () =>
    mutate(id, {
      onSuccess: () => void toast.done(`Tasks waiting for ${name} start now`),
      onError: (error) => void toast.failed('Not started', errorMessage(error)),
    })
  return (
    <section
      aria-label={`${name} is on hold`}
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-b bg-queued/15 px-4 py-1.5 text-queued md:flex-nowrap md:px-6"
    >
      <Hourglass size={14} className="shrink-0 max-md:hidden" />
      <p
        role="status"
        title={reason}
        className="min-w-0 flex-1 font-medium max-md:line-clamp-2 max-md:basis-full md:truncate"
      >
        {reason}
      </p>
      <p className="whitespace-nowrap max-md:mr-auto">
        {waiting > 0 && `${tasksWait(waiting)} · `}
        <Left until={until} />
      </p>
      {isAdmin && (
        <Button
          size="small"
          needsService
          disabled={isPending}
          onClick={start}
          title="Tries the provider now. If it still refuses, it is put on hold again. No attempt is counted."
        >
          Start anyway
        </Button>
      )}
    </section>
  )
}

const tasksWait = (count: number) => (count === 1 ? '1 task waits' : `${formatNumber(count)} tasks wait`)

/** One task tries the provider at the end; the others follow once it was answered. */
const Left = ({ until }: { until: string }) => {
  const left = Date.parse(until) - useNow(true)
  if (left <= 0) return 'a task tries it now'
  return (
    <>
      tried again in{' '}
      <time dateTime={until} title={formatDateTime(until)}>
        {formatTimeLeft(left)}
      </time>
    </>
  )
}
