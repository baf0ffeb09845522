import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { groupedErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Problem } from '../../components/problem.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { settings } from '../../data/at-build.ts'
import { type Answer, useChangeSettings, useSettings } from '../../data/settings.ts'
import { useDrafts } from './drafts.ts'
import { InstallationBudget, OwnBudget } from './month-budgets.tsx'
import { SettingField } from './setting-field.tsx'
import { groups } from './setting-names.ts'

/** Environment variables override these. */
export const Installation = (): ReactNode => (
  <AdminsOnly what="The settings of the installation are">
    <Loaded />
  </AdminsOnly>
)

const Loaded = () => {
  const { data, error, refetch } = useSettings()
  if (data) return <SettingsForm answer={data} />
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={12} />
}

const SettingsForm = ({ answer }: { answer: Answer }) => {
  const { textAt, write, forget, changes, count } = useDrafts(answer)
  const { mutateAsync, error, isPending, reset } = useChangeSettings()
  const wrong = groupedErrors(error)
  const save = (wanted: Readonly<Record<string, unknown>>, message: string) =>
    mutateAsync(wanted).then(
      () => {
        if (wanted === changes) forget()
        toast.done(message)
      },
      // The form shows the error.
      () => undefined,
    )
  const undo = () => {
    forget()
    reset()
  }
  return (
    <Form
      label="Installation settings"
      error={error}
      onSend={() => count > 0 && void save(changes, 'Settings saved')}
      className="flex flex-col gap-4"
    >
      {Object.entries(groups).map(([group, title]) => (
        <Panel key={group} title={title}>
          <div className="grid gap-x-4 gap-y-3 p-3.5 sm:grid-cols-2">
            {group === 'budget' && (
              <div className="flex flex-col gap-3 sm:col-span-2">
                <InstallationBudget budget={answer.settings.budget} />
                <OwnBudget />
              </div>
            )}
            {settings
              .filter(({ path }) => path.startsWith(`${group}.`))
              .map((setting) => (
                <SettingField
                  key={setting.path}
                  setting={setting}
                  source={answer.sources[setting.path]}
                  text={textAt(setting.path)}
                  error={wrong[setting.path]}
                  onWrite={(text) => write(setting.path, text)}
                  onReset={() => void save({ [setting.path]: null }, 'Setting reset')}
                />
              ))}
          </div>
        </Panel>
      ))}
      <Refusal error={error} fields={Object.keys(groups)} />
      {count > 0 && (
        <div className="sticky bottom-0 flex items-center gap-2 border-t bg-background py-3">
          <Button kind="primary" type="submit" disabled={isPending}>
            {`Save ${count} ${count === 1 ? 'change' : 'changes'}`}
          </Button>
          <Button kind="ghost" onClick={undo}>
            Discard
          </Button>
        </div>
      )}
    </Form>
  )
}
