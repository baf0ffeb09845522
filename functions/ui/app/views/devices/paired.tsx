import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { Person } from '../../components/person.tsx'
import { Row } from '../../components/rows.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { usePairedDevices, useRevokeDevice } from '../../data/devices.ts'
import { usePage } from '../../data/page.ts'
import { deviceName, metaText } from './meta.ts'

export const Paired = ({ isAdmin }: { isAdmin: boolean }) => {
  const paging = usePage()
  const query = usePairedDevices(paging.query)
  const { data } = query
  return (
    <Panel
      title={isAdmin ? 'Paired devices of all users' : 'Your paired devices'}
      aside={<span className="text-muted-foreground">{data?.total}</span>}
    >
      <PagedRows
        label="Paired devices"
        query={query}
        paging={paging}
        getItems={({ devices }) => devices}
        empty={
          <Empty title="No paired devices" curl={curl()}>
            Pair a device to sign in there without a password.
          </Empty>
        }
      >
        {(device) => <Device {...device} isAdmin={isAdmin} />}
      </PagedRows>
    </Panel>
  )
}

const curl = () =>
  `curl -X POST ${location.origin}/api/devices/pairing/request -H 'content-type: application/json' \\\n  -d '{"requesterId": "my laptop"}'`

type PairedDevice = NonNullable<ReturnType<typeof usePairedDevices>['data']>['devices'][number]

const Device = ({
  id,
  requesterId,
  meta,
  pairedAt,
  approvedBy,
  lastSeenAt,
  expiresAt,
  isAdmin,
}: PairedDevice & { isAdmin: boolean }) => {
  const { mutateAsync } = useRevokeDevice()
  const name = deviceName(requesterId)
  return (
    <Row
      title={name}
      meta={
        <Facts
          facts={[
            metaText(meta),
            <>
              paired <When at={pairedAt} />
            </>,
            isAdmin && (
              <>
                by <Person id={approvedBy} />
              </>
            ),
            lastSeenAt ? (
              <>
                seen <When at={lastSeenAt} />
              </>
            ) : (
              'never seen'
            ),
            <>
              expires <When at={expiresAt} />
            </>,
          ]}
        />
      }
      actions={
        <Confirm verb="Revoke" title={`Revoke ${name}`} onConfirm={() => mutateAsync(id)}>
          It is signed out immediately. To use it again, pair it again.
        </Confirm>
      }
    />
  )
}
