import { Button } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useCleanup, usePendingPairings } from '../../data/devices.ts'
import { focusCode } from './enter-code.tsx'
import { deviceName, metaText } from './meta.ts'

/** The code is on the device, so a click alone cannot approve it. */
export const Pending = () => {
  const { data, error, refetch } = usePendingPairings()
  const { mutate, isPending } = useCleanup()
  const cleanUp = () =>
    mutate(undefined, {
      onSuccess: ({ deleted }) =>
        void toast.done(deleted === 1 ? '1 expired request removed' : `${deleted} expired requests removed`),
    })
  return (
    <Panel
      title="Waiting"
      aside={
        <Button
          needsService
          kind="ghost"
          size="small"
          className="-mr-2"
          disabled={isPending}
          onClick={cleanUp}
        >
          Remove expired
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={2} />}
      {data?.length === 0 && <p className="px-3.5 py-4 text-muted-foreground">No pending requests.</p>}
      {data && data.length > 0 && (
        <Rows label="Waiting">
          {data.map(({ id, requesterId, meta, address, createdAt, expiresAt }) => (
            <Row
              key={id}
              title={deviceName(requesterId)}
              actions={
                <Button size="small" title="It shows its code" onClick={focusCode}>
                  Enter its code
                </Button>
              }
              meta={
                <Facts
                  facts={[
                    metaText(meta),
                    `from ${address}`,
                    <>
                      asked <When at={createdAt} />
                    </>,
                    <>
                      expires <When at={expiresAt} />
                    </>,
                  ]}
                />
              }
            />
          ))}
        </Rows>
      )}
    </Panel>
  )
}
