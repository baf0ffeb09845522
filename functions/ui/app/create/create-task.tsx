import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { isConnected } from '../data/connection.ts'
import { closeOverlay, overlay } from '../shell/overlay.ts'
import { Composer } from './composer.tsx'
import { dropDraft, keepUnsent, type Purpose } from './draft.ts'

const titles: Readonly<Record<Purpose, string>> = { create: 'Create task', again: 'Edit and run again' }

/** The composer over the present view. */
export const CreateTask = ({ purpose }: { purpose: Purpose }) => {
  const close = () => {
    if (!isConnected.get()) keepUnsent(purpose)
    closeOverlay()
  }
  /** Closing by the cross, the backdrop or Back keeps the draft; only this button discards it. */
  const giveUp = () => {
    dropDraft(purpose)
    closeOverlay()
  }
  return (
    <Dialog isOpen onClose={close} title={titles[purpose]}>
      <Composer purpose={purpose} isStillOpen={() => overlay.get() === purpose} onCreated={closeOverlay}>
        {({ fields, problem, mode, submit }) => (
          <>
            <DialogBody>{fields}</DialogBody>
            <DialogFoot>
              {problem}
              {mode}
              <Button onClick={giveUp}>Cancel</Button>
              {submit}
            </DialogFoot>
          </>
        )}
      </Composer>
    </Dialog>
  )
}
