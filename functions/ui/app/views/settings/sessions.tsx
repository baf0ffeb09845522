import type { ReactNode } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Pager } from '../../components/pager.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { type ListedSession, useEndOtherSessions, useEndSession, useSessions } from '../../data/accounts.ts'
import { useMe } from '../../data/me.ts'
import { usePage } from '../../data/page.ts'
import { useAuthMode } from '../../data/session.ts'
import { agentName } from './agent-name.ts'
import { PasswordChange } from './password-change.tsx'

export const Sessions = (): ReactNode => {
  const user = useMe()
  const mode = useAuthMode()
  return (
    <>
      {mode === 'cloud' && user && <PasswordChange email={user.email} />}
      <List />
    </>
  )
}

const List = () => {
  const paging = usePage()
  const { data, error, refetch } = useSessions(paging.query)
  const { mutateAsync } = useEndOtherSessions()
  return (
    <Panel
      title="Sessions"
      aside={
        data && data.total > 1 ? (
          <Confirm
            verb="End all others"
            title="End all other sessions"
            onConfirm={() => mutateAsync(undefined)}
          >
            You stay signed in here. Everywhere else you are signed out at once, and your devices are paired
            no more.
          </Confirm>
        ) : (
          <span className="text-muted-foreground">{data?.total}</span>
        )
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={3} />}
      {data?.total === 0 && <Empty title="No sessions">Sign-in is off in this installation.</Empty>}
      {data && data.total > 0 && (
        <Rows label="Sessions">
          {data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </Panel>
  )
}

const SessionRow = ({ session }: { session: ListedSession }) => {
  const { id, createdAt, lastSeenAt, userAgent, deviceId, current } = session
  const { mutateAsync } = useEndSession()
  const name = deviceId ? 'Paired device' : agentName(userAgent)
  return (
    <Row
      title={<span title={userAgent}>{name}</span>}
      aside={current && <Tag tone="good">This one</Tag>}
      meta={
        <Facts
          facts={[
            <>
              since <When at={createdAt} />
            </>,
            <>
              seen <When at={lastSeenAt} />
            </>,
          ]}
        />
      }
      actions={
        !current && (
          <Confirm verb="End" title={`End the session of ${name}`} onConfirm={() => mutateAsync(id)}>
            {deviceId
              ? 'The device is signed out at once. To come back it has to be paired anew.'
              : 'It is signed out at once.'}
          </Confirm>
        )
      }
    />
  )
}
