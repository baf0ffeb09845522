import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useApprove, useReject } from '../../data/devices.ts'

/** Three groups of three, as devices show it; any input format is accepted. */
const grouped = (text: string) =>
  text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, 9)
    .replace(/(.{3})(?=.)/g, '$1 ')

const CODE_FIELD = 'pairing-code'

/** Moves the focus to the code field. Approving requires the code, which only the device shows. */
export const focusCode = () => document.getElementById(CODE_FIELD)?.focus()

export const EnterCode = () => {
  const [code, setCode] = useState('')
  const approve = useApprove()
  const reject = useReject()
  const error = approve.error ?? reject.error
  const isBusy = approve.isPending || reject.isPending
  const begin = () => {
    approve.reset()
    reject.reset()
  }
  const done = (message: string, more?: string) => {
    setCode('')
    toast.done(message, more)
  }
  const onApprove = () => {
    begin()
    approve.mutate(code, {
      onSuccess: ({ request }) => done('Device paired', `${request.requesterId} now acts for you.`),
    })
  }
  const onReject = () => {
    begin()
    reject.mutate(code, { onSuccess: () => done('Device rejected') })
  }
  return (
    <Panel title="Approve a device">
      <Form label="Approve a device" error={error} onSend={onApprove} className="flex flex-col gap-3 p-3.5">
        <p className="text-muted-foreground">
          Enter the code shown by the device or by{' '}
          <code className="font-mono text-xs">agent-tasks login</code>. The device is then signed in as you.
        </p>
        <TextField
          label="Code"
          name="code"
          id={CODE_FIELD}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="ABC DEF 123"
          required
          value={code}
          onChange={({ target }) => setCode(grouped(target.value))}
          error={fieldErrors(error).code}
          className="h-10 max-w-52 font-mono text-base tracking-widest"
        />
        <Refusal error={error} fields={['code']} />
        <div className="flex gap-2">
          <Button kind="primary" type="submit" disabled={isBusy || code === ''}>
            Approve
          </Button>
          <Button disabled={isBusy || code === ''} onClick={onReject}>
            Reject
          </Button>
        </div>
      </Form>
    </Panel>
  )
}
