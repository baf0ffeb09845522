import { QrCode } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Panel } from '../../components/view.tsx'
import { useNewQr } from '../../data/devices.ts'
import { QrRequest } from './qr-request.tsx'

/** A QR code for a signed-in device to scan. */
export const ShowCode = () => {
  const { mutate, reset, data, error, isPending } = useNewQr()
  return (
    <Panel title="Pair by QR code">
      <div className="flex flex-col gap-3 p-3.5">
        {data ? (
          <QrRequest key={data.requestId} {...data} onAgain={() => mutate()} onClose={reset} />
        ) : (
          <>
            <p className="text-muted-foreground">
              Scan the code with a signed-in device and approve it there to get a session for a new device.
            </p>
            <Refusal error={error} />
            <div>
              <Button needsService disabled={isPending} onClick={() => mutate()}>
                <QrCode size={15} /> Show QR code
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}
