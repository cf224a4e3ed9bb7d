export const ADMISSION_GROUP = 'admissionregistration.k8s.io';
export const ADMISSION_V1 = `${ADMISSION_GROUP}/v1`;
export const ADMISSION_V1BETA1 = `${ADMISSION_GROUP}/v1beta1`;
export const ADMISSION_V1ALPHA1 = `${ADMISSION_GROUP}/v1alpha1`;
