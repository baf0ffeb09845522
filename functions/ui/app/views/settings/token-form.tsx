import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Secret } from '../../components/secret.tsx'
import { RunnerGuide, runnerCommand } from '../../components/start-runner.tsx'
import { Panel } from '../../components/view.tsx'
import { scopes } from '../../data/at-build.ts'
import { type NewToken, type Scope, useCreateToken } from '../../data/tokens.ts'

const FIELDS = ['name', 'scopes', 'expiresInDays', 'rateLimit']

const uses: Readonly<Record<Scope, string>> = {
  gateway: 'Gateway: start work and read its status',
  webhooks: 'Webhooks: manage webhooks and read deliveries',
  runner: 'Runner: run tasks on a machine (admins only)',
}

const lifetimes = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Never'],
] as const

const tokenBody = (texts: Texts): NewToken => ({
  name: texts.name ?? '',
  scopes: scopes.filter((scope) => texts[`scope-${scope}`]),
  ...(texts.expiresInDays ? { expiresInDays: Number(texts.expiresInDays) } : {}),
  ...(texts.rateLimit ? { rateLimit: Number(texts.rateLimit) } : {}),
})

/** The response holds the only copy of the token. */
export const TokenForm = ({ onClose }: { onClose: () => void }) => {
  const { mutate, data, error, isPending } = useCreateToken()
  const wrong = fieldErrors(error)
  if (data)
    return (
      <Panel title="New token">
        <div className="flex flex-col gap-3 p-3.5">
          <Secret label={`Token “${data.name}” created`} text={data.token} />
          {data.scopes.includes('runner') && <StartWith token={data.token} name={data.name} />}
          <Button className="self-start" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Panel>
    )
  return (
    <Panel title="New token">
      <Form
        label="New token"
        error={error}
        onSend={(texts) => mutate(tokenBody(texts))}
        className="flex flex-col gap-3 p-3.5"
      >
        <div className="flex flex-wrap gap-3 [&>*]:basis-40">
          <TextField
            label="Name"
            name="name"
            autoComplete="off"
            placeholder="Name of the program"
            autoFocus
            required
            maxLength={100}
            error={wrong.name}
          />
          <SelectField
            label="Expires after"
            name="expiresInDays"
            defaultValue="90"
            error={wrong.expiresInDays}
          >
            {lifetimes.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Gateway requests per minute"
            name="rateLimit"
            type="number"
            min={1}
            inputMode="numeric"
            autoComplete="off"
            placeholder="Service default"
            error={wrong.rateLimit}
          />
        </div>
        <Scopes error={wrong.scopes} />
        <Refusal error={error} fields={FIELDS} />
        <div className="flex gap-2">
          <Button kind="primary" type="submit" disabled={isPending}>
            Create token
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Panel>
  )
}

const StartWith = (runner: { token: string; name: string }) => (
  <div className="flex flex-col gap-1.5">
    <p>
      Start the runner on its machine, in a clone of this project after{' '}
      <code className="font-mono text-xs">npm ci</code> (<RunnerGuide />
      ):
    </p>
    <Command text={runnerCommand(runner)} />
  </div>
)

const Scopes = ({ error }: { error: string | undefined }) => (
  <fieldset className="flex flex-col gap-1.5">
    <legend className="pb-1 font-medium">Scopes</legend>
    {scopes.map((scope, at) => (
      <label key={scope} className="flex items-start gap-2">
        <input
          type="checkbox"
          name={`scope-${scope}`}
          defaultChecked={at === 0}
          aria-invalid={error ? true : undefined}
          className="mt-0.5 size-3.5 shrink-0"
        />
        {uses[scope]}
      </label>
    ))}
    {error && <span className="text-destructive">{error}</span>}
  </fieldset>
)
