import { openCloudCipher } from '../lib/app/cloud-cipher.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import { deviceRoutes } from '../lib/devices/contract.ts'
import { deviceHandlers } from '../lib/devices/handlers.ts'
import { joinDevices } from '../lib/join/devices.ts'

export const handler = serveGroup(
  deviceRoutes,
  openPlain(({ entry, ports, config }) => {
    const cipher = openCloudCipher(config, ports)
    return deviceHandlers({ devices: joinDevices(entry, { ...ports, cipher }) })
  }),
)
