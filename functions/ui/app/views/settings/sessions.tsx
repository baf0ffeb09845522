import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { Row } from '../../components/rows.tsx'
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
  const query = useSessions(paging.query)
  const { data } = query
  const { mutateAsync } = useEndOtherSessions()
  return (
    <Panel
      title="Sessions"
      aside={
        data &&
        data.total > 1 && (
          <Confirm
            verb="Revoke all others"
            title="Revoke all others"
            onConfirm={() => mutateAsync(undefined)}
          >
            You stay signed in here. All other sessions are revoked immediately, and your devices are
            unpaired.
          </Confirm>
        )
      }
    >
      <PagedRows
        label="Sessions"
        query={query}
        paging={paging}
        getItems={({ sessions }) => sessions}
        empty={
          <Empty
            title="Sign-in is off"
            action={
              <Link to="/settings/access-key" className={buttonClass()}>
                Set an access key
              </Link>
            }
          >
            Anyone on this machine is an admin.
          </Empty>
        }
      >
        {(session) => <SessionRow session={session} />}
      </PagedRows>
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
      aside={current && <Tag tone="good">This session</Tag>}
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
          <Confirm verb="Revoke" title={`Revoke the session of ${name}`} onConfirm={() => mutateAsync(id)}>
            {deviceId
              ? 'The device is signed out immediately. To use it again, pair it again.'
              : 'It is signed out immediately.'}
          </Confirm>
        )
      }
    />
  )
}
