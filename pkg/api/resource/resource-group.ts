export const RESOURCE_GROUP = 'resource.k8s.io';
export const RESOURCE_V1 = `${RESOURCE_GROUP}/v1`;

/** Namespaces with this label, at `true`, may hold claims with access to devices in use by others. */
export const ADMIN_ACCESS_LABEL = 'resource.kubernetes.io/admin-access';
