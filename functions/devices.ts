import { servePeople } from '../lib/app/cloud-people.ts'
import { deviceRoutes } from '../lib/devices/contract.ts'
import { deviceHandlers } from '../lib/devices/handlers.ts'

export const handler = servePeople(deviceRoutes, deviceHandlers)
