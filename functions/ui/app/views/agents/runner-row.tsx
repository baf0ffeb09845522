import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Row } from '../../components/rows.tsx'
import { RunnerTag } from '../../components/runner-tag.tsx'
import { isolations } from '../../components/runner-words.ts'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import { type Runner, useDrainRunner, useRemoveRunner } from '../../data/runners.ts'

type Titles = ReadonlyMap<string, string> | undefined
type Props = { runner: Runner; titles: Titles; isAdmin: boolean }

export const RunnerRow = ({ runner, titles, isAdmin }: Props) => {
  const { name, status, labels, agents, version, isolation, running, concurrency, lastSeenAt } = runner
  return (
    <Row
      title={name}
      aside={
        <>
          <RunnerTag {...runner} />
          <Labels labels={labels} />
        </>
      }
      meta={
        <>
          <Facts
            facts={[
              agents.length > 0 ? agents.map((agent) => agent.name ?? agent.type).join(', ') : 'no agents',
              isolations[isolation],
              `version ${version}`,
              <>
                {seenWords[status]} <When at={lastSeenAt} />
              </>,
            ]}
          />
          {(status === 'online' || status === 'draining') && (
            <Running ids={running} most={concurrency} titles={titles} />
          )}
        </>
      }
      actions={isAdmin && <Actions runner={runner} />}
    />
  )
}

const seenWords: Readonly<Record<Runner['status'], string>> = {
  online: 'seen',
  draining: 'seen',
  offline: 'last seen',
  removed: 'last tried',
}

const Labels = ({ labels }: Pick<Runner, 'labels'>) =>
  labels.length > 0 && (
    <ul aria-label="Labels" className="flex min-w-0 flex-wrap gap-1">
      {labels.map((label) => (
        <li key={label} className="flex min-w-0">
          <Tag>{label}</Tag>
        </li>
      ))}
    </ul>
  )

const MOST_LINKS = 5

const Running = ({ ids, most, titles }: { ids: readonly string[]; most: number; titles: Titles }) => {
  const more = ids.length - MOST_LINKS
  return (
    <Facts
      facts={[
        `${ids.length} of ${most} running`,
        ...ids.slice(0, MOST_LINKS).map((id) => (
          <Link
            key={id}
            to="/tasks/$id"
            params={{ id }}
            className="text-foreground underline underline-offset-2 [overflow-wrap:anywhere]"
          >
            {titles?.get(id) ?? id}
          </Link>
        )),
        more > 0 && `${more} more`,
      ]}
    />
  )
}

/** The user of a runner that registered with the token that all runners share. */
const OF_INSTALLATION = 'installation'

const Actions = ({ runner: { id, name, status, drained, userId } }: { runner: Runner }) => {
  const { mutateAsync: remove } = useRemoveRunner()
  if (status === 'removed') return <Drain id={id} name={name} now="removed" />
  return (
    <>
      <Drain id={id} name={name} now={drained ? 'drained' : 'taking'} />
      <Confirm verb="Remove" title={`Remove ${name}`} onConfirm={() => remove(id)}>
        {userId === OF_INSTALLATION
          ? 'It is rejected until you allow it again. Other runners with the shared token (RUNNER_TOKEN) are not affected.'
          : 'Its API token is revoked, and its program stops.'}{' '}
        Its running tasks start again on another runner.
      </Confirm>
    </>
  )
}

const changes = {
  taking: {
    verb: 'Drain',
    says: (name: string) => `Drain ${name}`,
    hint: 'It takes no new tasks. Running tasks continue',
  },
  drained: {
    verb: 'Resume',
    says: (name: string) => `Resume ${name}`,
    hint: 'It takes new tasks',
  },
  removed: {
    verb: 'Allow',
    says: (name: string) => `Allow ${name} again`,
    hint: 'It can register again and take tasks',
  },
}

/** Both ways are undone by the other, so neither is confirmed. */
const Drain = ({ id, name, now }: { id: string; name: string; now: keyof typeof changes }) => {
  const { mutate, isPending } = useDrainRunner()
  const { verb, says, hint } = changes[now]
  const change = () =>
    mutate(
      { id, draining: now === 'taking' },
      { onError: (failure) => void toast.failed('Not changed', errorMessage(failure)) },
    )
  return (
    <Button
      needsService
      size="small"
      disabled={isPending}
      onClick={change}
      aria-label={says(name)}
      title={hint}
    >
      {verb}
    </Button>
  )
}
