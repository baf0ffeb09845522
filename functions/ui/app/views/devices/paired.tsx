import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Pager } from '../../components/pager.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { usePairedDevices, useUnpair } from '../../data/devices.ts'
import { usePage } from '../../data/page.ts'
import { deviceName, metaText } from './meta.ts'

export const Paired = ({ isAdmin }: { isAdmin: boolean }) => {
  const paging = usePage()
  const { data, error, refetch } = usePairedDevices(paging.query)
  return (
    <Panel
      title={isAdmin ? 'Paired devices of all users' : 'Your paired devices'}
      aside={<span className="text-muted-foreground">{data?.total}</span>}
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={3} />}
      {data?.total === 0 && (
        <Empty title="No paired devices" curl={curl()}>
          A device asks, and shows a code:
        </Empty>
      )}
      {data && data.total > 0 && (
        <Rows label="Paired devices">
          {data.devices.map((device) => (
            <Device key={device.id} {...device} isAdmin={isAdmin} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
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
  const { mutateAsync } = useUnpair()
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
              ends <When at={expiresAt} />
            </>,
          ]}
        />
      }
      actions={
        <Confirm verb="Remove" title={`Remove ${name}`} onConfirm={() => mutateAsync(id)}>
          Its session ends at once. To come back it has to be paired anew.
        </Confirm>
      }
    />
  )
}
